package linearizability

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// store is all there is: the items of all keys. Transactions make it one thing to be judged.
type store [keys]item

// step is one action of a transaction, or a single request, about the key of this number.
type step struct {
	place int
	input
}

// batch is one TransactWriteItems, one TransactGetItems or one single request.
type batch struct {
	steps    []step
	together bool // a transaction, also with one step
}

// outcome is what the client learned of a batch: each step's output, in order.
type outcome struct {
	unknown  bool // the answer was lost: done as a whole before the process was killed, or not at all
	conflict bool // refused because of another transaction
	outputs  []output
}

func (b batch) reads() bool { return b.steps[0].kind == read }

func (b batch) holds(before store) bool {
	for _, s := range b.steps {
		if !s.holds(before[s.place]) {
			return false
		}
	}
	return true
}

func (b batch) apply(before store) store {
	after := before
	for _, s := range b.steps {
		after[s.place] = s.input.apply(before[s.place])
	}
	return after
}

// explains says whether the answer is what the store gives, done or refused as a whole.
func (b batch) explains(before store, out outcome) bool {
	holds := b.holds(before)
	for i, s := range b.steps {
		seen, old := out.outputs[i], before[s.place]
		switch {
		case seen.failed: // told for each condition that does not hold, with what is there
			if s.holds(old) || seen.seen != old {
				return false
			}
		case !s.holds(old):
			return false
		case s.kind == read && seen.seen != old:
			return false
		case !b.together && s.kind == update && seen.seen != s.input.apply(old):
			return false
		case !b.together && s.kind != update && seen.seen != old:
			return false
		}
		if seen.failed {
			holds = false
		}
	}
	return holds == out.done()
}

func (out outcome) done() bool {
	for _, one := range out.outputs {
		if one.failed {
			return false
		}
	}
	return true
}

// storeModel is the store, changed by one batch at a time. A history that it explains is strictly
// serializable: the order found keeps to real time.
//
// Whoever loses an answer learns of it when the process is dead, so such a batch is over then, and has
// been done or has not.
var storeModel = func() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []interface{} { return []interface{}{store{}} },
		Step: func(state, in, out interface{}) []interface{} {
			before, asked, answer := state.(store), in.(batch), out.(outcome)
			switch {
			case answer.conflict:
				return []interface{}{before}
			case answer.unknown && asked.holds(before):
				return []interface{}{before, asked.apply(before)}
			case answer.unknown:
				return []interface{}{before}
			case !asked.explains(before, answer):
				return nil
			case !answer.done():
				return []interface{}{before}
			}
			return []interface{}{asked.apply(before)}
		},
		DescribeOperation: func(in, out interface{}) string { return fmt.Sprintf("%+v -> %+v", in, out) },
	}
	return model.ToModel()
}()
