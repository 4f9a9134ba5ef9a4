package bench

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	// longestMessage is how long a message of a server may be, in bytes.
	longestMessage = 64 << 20
	// taken is how many bytes are taken before it is said, as in web/room/lines.js.
	taken = 32 << 10
)

// readSocket reads the lines of a WebSocket until ctx ends or the server closes it, as the page does: it sends the
// token as browsers have to, and says how much it has taken.
func readSocket(ctx context.Context, client *http.Client, address, token string, line func([]byte)) error {
	conn, res, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPClient: client,
		Subprotocols: []string{
			wellknown.LinesProtocol, wellknown.BearerProtocol + base64.RawURLEncoding.EncodeToString([]byte(token)),
		},
	})
	if err != nil {
		if res != nil && res.Body != nil {
			text, _ := io.ReadAll(io.LimitReader(res.Body, 300))
			err = fmt.Errorf("%s: %s", res.Status, text)
		}
		return err
	}
	conn.SetReadLimit(longestMessage)
	defer context.AfterFunc(ctx, func() { _ = conn.CloseNow() })() // a context of each read would cost more
	defer conn.CloseNow()
	var payload bytes.Buffer
	for read := 0; ; {
		_, r, err := conn.Reader(context.Background())
		if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
			return io.EOF
		}
		if err != nil {
			return err
		}
		payload.Reset()
		if _, err := payload.ReadFrom(r); err != nil {
			return err
		}
		for one := range bytes.Lines(payload.Bytes()) {
			line(one)
		}
		if read += payload.Len(); read >= taken {
			if err := conn.Write(ctx, websocket.MessageText, strconv.AppendInt(nil, int64(read), 10)); err != nil {
				return err
			}
			read = 0
		}
	}
}
