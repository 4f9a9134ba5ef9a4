//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// tooNew are the generators of lesson 13.
var tooNew = map[string]Generator{"p13b": p13b}

// p13b draws a cluster that was restored from a backup, and how far its version has got since.
func p13b(r *rand.Rand) Values {
	kind := pick(r, "secrets", "configmaps", "serviceaccounts")
	lost, since := between(r, 4, 9), between(r, 0, 14)
	// Whether X was passed has to be plain, even if a controller is still at work; and only
	// what is there twice can be repeated.
	if since == 1 || since > lost-4 && since < lost+4 {
		return nil
	}
	again := ""
	if since > 0 {
		again = fmt.Sprintf("###\n# @repeat %d\nPOST /api/v1/namespaces/p13b/%s\n\n"+
			`{"metadata": {"generateName": "since-"}}`+"\n", since, kind)
	}
	v := Values{"kind": kind, "lost": strconv.Itoa(lost), "others": strconv.Itoa(lost - 1), "again": again,
		"since": fmt.Sprintf("Since then %d have been created", since), "match": "Exact",
		"row": "- The state at X was read as it is now: it lacks what you have seen at X",
		"proof": "-> 200\n  response.body.metadata.resourceVersion = {{seen.response.body.metadata.resourceVersion}}" +
			`    else "That answer is not of X. Which match gives a state exactly as it was?"` +
			"\n  response.body.items[*].metadata.uid lacks {{lost.response.body.metadata.uid}}"}
	if since == 0 {
		v["since"] = "Nothing has been created since"
	}
	if since < lost {
		v["match"], v["row"] = "NotOlderThan", "- It was shown that the cluster has not even got to X"
		v["proof"] = `-> 504 else "This request is answered, so it does not show that X is ahead. ` +
			`Ask for a state not older than X."` +
			"\n  response.body.details.causes[0].reason = ResourceVersionTooLarge" +
			"\n  request.query.resourceVersion = {{seen.response.body.metadata.resourceVersion}}" +
			`    else "Ask about X, and no other number."`
	}
	return v
}
