package albums

import (
	"testing"

	"example.com/albums/statortest"
)

// Without statortest.Main. ../../test_where.py reads what it says.
func TestNoClient(t *testing.T) {
	for _, make := range []func(){
		func() { statortest.Client() },
		func() { (&statortest.Server{}).Client() },
		func() { (*statortest.Server)(nil).Client() },
	} {
		func() {
			defer func() { t.Error(recover()) }()
			make()
		}()
	}
	_ = statortest.Client()
}
