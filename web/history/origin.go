package history

// Origins are who makes requests: tap.Event.Origin, and how that is called.
var Origins = [][2]string{
	{"", "anybody"}, {"console", "the console"}, {"lesson", "a lesson"}, {"sample", "the sample data"},
	{"setup", "the setup of a lesson"}, {"lever", "a lever"}, {"page", "scripts of the page"},
}

// OriginName returns how an origin of requests is called.
func OriginName(origin string) string {
	for _, o := range Origins {
		if o[0] == origin && origin != "" {
			return o[1]
		}
	}
	return origin
}
