// Package linearizability records what concurrent clients saw and asks a checker whether one order of
// the operations explains it.
package linearizability

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"
)

type kind int

const (
	read kind = iota
	put
	update
	remove
)

// A condition on the stored item, and whether it is there.
type condition int

const (
	always condition = iota
	absent
	valueIs
)

// input is one request about one key.
type input struct {
	key       string
	kind      kind
	condition condition
	wanted    int // valueIs
	value     int // put, update: what is written
}

// item is what a key holds. Updates also count how many there were since the last put.
type item struct {
	exists  bool
	value   int
	updates int
}

// output is what the client learned; unknown when the connection broke before the answer.
type output struct {
	unknown bool
	failed  bool // the condition did not hold
	seen    item // read: the item; put, remove, failed: the old one; update: the new one
}

func (in input) holds(before item) bool {
	switch in.condition {
	case absent:
		return !before.exists
	case valueIs:
		return before.exists && before.value == in.wanted
	}
	return true
}

func (in input) apply(before item) item {
	switch in.kind {
	case put:
		return item{exists: true, value: in.value}
	case update:
		return item{exists: true, value: in.value, updates: before.updates + 1}
	case remove:
		return item{}
	}
	return before
}

// model says which answers an item in one place, changed by one request at a time, would give.
//
// An operation whose answer was lost never returned: the checker may place it anywhere after its call,
// also behind everything that anybody saw, which is as good as never.
var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		keys := map[string][]porcupine.Operation{}
		for _, operation := range history {
			key := operation.Input.(input).key
			keys[key] = append(keys[key], operation)
		}
		parts := make([][]porcupine.Operation, 0, len(keys))
		for _, part := range keys {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() interface{} { return item{} },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		before, request, answer := state.(item), in.(input), out.(output)
		holds := request.holds(before)
		after := before
		if holds {
			after = request.apply(before)
		}
		switch {
		case answer.unknown:
			return true, after
		case answer.failed:
			return !holds && answer.seen == before, before
		case request.kind == update:
			return holds && answer.seen == after, after
		}
		return holds && answer.seen == before, after
	},
	DescribeOperation: func(in, out interface{}) string { return fmt.Sprintf("%+v -> %+v", in, out) },
}

const never = math.MaxInt64
