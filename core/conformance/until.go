package conformance

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
)

// Until calls done until it reports true: at first, and after each event of a watch of what the effect follows with
// some delay. The request for the watch should end it after a second or so (timeoutSeconds), since an effect may come
// after the last event; then it is opened again. After untilLimit there is an error.
func Until(ctx context.Context, client *http.Client, watch *http.Request, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, untilLimit)
	defer cancel()
	for !done() {
		res, err := client.Do(watch.Clone(ctx))
		if err != nil {
			return fmt.Errorf("the watch to wait by: %w", err)
		}
		for events := bufio.NewReader(res.Body); ; {
			_, err := events.ReadString('\n')
			if done() {
				return res.Body.Close()
			}
			if err != nil {
				break
			}
		}
		_ = res.Body.Close() // it has been read to its end
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("the watch to wait by is answered %s", res.Status)
		}
	}
	return nil
}
