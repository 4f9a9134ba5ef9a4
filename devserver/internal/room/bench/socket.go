package bench

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// longestMessage is how long a message of a server may be, in bytes.
const longestMessage = 64 << 20

// readSocket reads the messages of a WebSocket until ctx ends or the server closes it. The token is sent as browsers
// have to.
func readSocket(ctx context.Context, client *http.Client, address, token string, message func([]byte)) error {
	conn, res, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPClient: client,
		Subprotocols: []string{
			wellknown.BearerProtocol + base64.RawURLEncoding.EncodeToString([]byte(token)), "base64.binary.k8s.io",
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
	for {
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
		message(payload.Bytes())
	}
}
