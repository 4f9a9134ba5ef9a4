// Package bench measures a large cluster natively: how long many Pods on many nodes take until all run, and what each
// process takes for it, beside the original programs and kwok.
//
// Its test needs a flag, since it runs for minutes. Nothing else uses the machine meanwhile, or the times mean nothing;
// how much the processors worked is then the better figure.
package bench
