package history

// Origins are the values of tap.Event.Origin, which say who makes a request, with their names.
var Origins = [][2]string{
	{"", "anyone"}, {"console", "the console"}, {"lesson", "a lesson"}, {"sample", "the sample data"},
	{"setup", "the setup of a lesson"}, {"lever", "a lever"}, {"terminal", "the terminal"},
	{"page", "scripts of the page"},
}

// OriginName returns the name of an origin of requests.
func OriginName(origin string) string {
	for _, o := range Origins {
		if o[0] == origin && origin != "" {
			return o[1]
		}
	}
	return origin
}
