// Package kubectl uses the cluster as people do: it builds kubectl and runs it. The sessions are
// transcripts in testdata, each with its own cluster.
//
// # Transcripts
//
//	-- web.yaml --            a file of the session's directory, up to the next such line
//	# text                    a comment
//	$ kubectl get pods        a command, and below it what it prints: first the
//	pod/web                   output, then the errors
//	[1]                       its exit status if that is not 0, as the last line
//	& kubectl delete pod x    a command that continues meanwhile, and is waited for at the end
//	&                         or here
//	$ A=b kubectl edit pod x  a command with an environment variable
//
// Words are split at spaces, and quoted with '. In what is printed … stands for anything on the
// line, and alone on a line for any lines. Empty lines do not count.
package kubectl
