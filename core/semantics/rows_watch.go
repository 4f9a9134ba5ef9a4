package semantics

// send asks for initial events, or for none: true or false follows.
const send = "&resourceVersionMatch=NotOlderThan&sendInitialEvents="

var watchRows = []row{
	{WatchLatest, "unset", "?watch=1", added, waits + event504},
	{WatchLatest, "unset, bookmarks", "?watch=1&allowWatchBookmarks=true", addedMark, waits + event504},
	{WatchAny, "0", "?watch=1&resourceVersion=0", added, addedStale},
	{WatchAny, "0, bookmarks", "?watch=1&resourceVersion=0&allowWatchBookmarks=true", addedMark, staleMark},
	{WatchFrom, "N", "?watch=1&resourceVersion=$N", "changes after N", ""},
	{WatchFrom, "HEAD", "?watch=1&resourceVersion=$HEAD", "changes from now on", ""},
	{WatchFrom, "future", "?watch=1&resourceVersion=4000000000", "nothing up to that version", ""},
	{WatchFrom, "gone", "?watch=1&resourceVersion=1", event410, ""},
	{WatchInvalid, "garbage", "?watch=1&resourceVersion=garbage", "500", ""},
	{WatchLatest, "unset, send true, bookmarks", "?watch=1" + send + "true&allowWatchBookmarks=true", addedMark, waits +
		event504},
	{WatchAny, "0, send true, bookmarks", "?watch=1&resourceVersion=0" + send + "true&allowWatchBookmarks=true", addedMark,
		staleMark},
	{WatchNotOlderThan, "N, send true, bookmarks", "?watch=1&resourceVersion=$N" + send + "true&allowWatchBookmarks=true",
		addedMark, staleMark},
	{WatchNotOlderThan, "HEAD, send true, bookmarks", "?watch=1&resourceVersion=$HEAD" + send +
		"true&allowWatchBookmarks=true",
		addedMark, waits + event504},
	{WatchNotOlderThan, "future, send true, bookmarks", "?watch=1&resourceVersion=4000000000" + send +
		"true&allowWatchBookmarks=true",
		waits + event504, ""},
	{WatchNotOlderThan, "gone, send true, bookmarks", "?watch=1&resourceVersion=1" + send +
		"true&allowWatchBookmarks=true",
		addedMark, staleMark},
	{WatchFromNow, "unset, send false", "?watch=1" + send + "false", "changes from now on", ""},
	{WatchFromAny, "0, send false", "?watch=1&resourceVersion=0" + send + "false",
		"changes from now on", "changes after what the cache has"},
	{WatchFrom, "N, send false", "?watch=1&resourceVersion=$N" + send + "false", "changes after N", ""},
	{WatchFrom, "HEAD, send false", "?watch=1&resourceVersion=$HEAD" + send + "false", "changes from now on", ""},
	{WatchFrom, "future, send false", "?watch=1&resourceVersion=4000000000" + send + "false", "nothing up to that version",
		""},
	{WatchFrom, "gone, send false", "?watch=1&resourceVersion=1" + send + "false", event410, ""},
	{WatchInvalid, "unset, send true", "?watch=1&sendInitialEvents=true", "422 needs NotOlderThan", ""},
	{WatchInvalid, "N, Exact", "?watch=1&resourceVersion=$N&resourceVersionMatch=Exact",
		"422 match without sendInitialEvents, only NotOlderThan", ""},
	{WatchFrom, "N, limit", "?watch=1&resourceVersion=$N&limit=1", "changes after N", ""},
	{WatchFrom, "N, one name", "?watch=1&resourceVersion=$N&fieldSelector=metadata.name%3Db", "changes after N", ""},
	{WatchOlder, "unset, /watch/ path", "/api/v1/watch/namespaces/default/secrets", added, addedStale},
	{WatchFrom, "N, one name, /watch/ path", "/api/v1/watch/namespaces/default/secrets/b?resourceVersion=$N",
		"changes after N", ""},
	{WatchFrom, "N, all namespaces", "/api/v1/secrets?watch=1&resourceVersion=$N", "changes after N", ""},
}
