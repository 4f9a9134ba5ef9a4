//go:build js && wasm

package webhook

import (
	"context"
	"syscall/js"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
)

// host answers the calls to /echo, fails those to /fail, and leaves the others open.
const host = `({webhook(id, url, body) {
  const later = (...answer) => setTimeout(() => this.answered(id, ...answer), 0);
  if (url.endsWith("/echo")) later(201, body, "");
  else if (url.endsWith("/fail")) later(0, null, "no such host");
  else this.ended(id);
}})`

func TestCall(t *testing.T) {
	page := js.Global().Call("eval", host)
	calls := New(page)
	answered := calls.Answered()
	defer answered.Release()
	page.Set("answered", answered)

	ctx, cancel := context.WithCancel(context.Background())
	given := 0
	ended := js.FuncOf(func(_ js.Value, args []js.Value) any {
		given = args[0].Int()
		cancel()
		return nil
	})
	defer ended.Release()
	page.Set("ended", ended)

	reply, err := calls.Call(ctx, &webhooks.Call{URL: "https://x/echo", Body: []byte("héllo")})
	if err != nil || reply.Code != 201 || string(reply.Body) != "héllo" {
		t.Errorf("%v %v", reply, err)
	}
	if _, err := calls.Call(ctx, &webhooks.Call{URL: "https://x/fail"}); err == nil || err.Error() != "no such host" {
		t.Error(err)
	}
	if _, err := calls.Call(ctx, &webhooks.Call{URL: "https://x/never"}); err != context.Canceled {
		t.Error(err)
	}
	answered.Invoke(given, 200, nil, "") // too late: nothing happens
	if len(calls.open) != 0 {
		t.Errorf("%d calls are open", len(calls.open))
	}
}
