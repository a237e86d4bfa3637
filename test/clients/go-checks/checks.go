// Package checks runs checks of a client library and prints how they went, one JSON a line; see ../client-program.ts.
package checks

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// Limit is how long a wait within a check may take that says nothing else.
const Limit = 30 * time.Second

const pollInterval = 50 * time.Millisecond

var input = bufio.NewReader(os.Stdin)

type outcome struct {
	Check string  `json:"check"`
	Error *string `json:"error"`
}

// Run runs one check, with a context that ends with it.
func Run(name string, check func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	found := outcome{Check: name}
	defer func() {
		if failure := recover(); failure != nil {
			text := fmt.Sprintf("%v\n%s", failure, debug.Stack())
			found.Error = &text
		}
		print(found)
	}()
	check(ctx)
}

// Restart has the server killed and started again.
func Restart() {
	print(map[string]bool{"restart": true})
	_, err := input.ReadString('\n')
	Must(err)
}

// Must ends the check when there is an error.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}

// Require ends the check, with the values, when something does not hold.
func Require(holds bool, values ...any) {
	if !holds {
		panic(fmt.Sprintf("does not hold: %+v", values))
	}
}

// Until waits until something holds, and ends the check when that takes longer than [Limit].
func Until(what string, holds func() bool) { UntilWithin(Limit, what, holds) }

// UntilWithin is [Until] with a limit of its own.
func UntilWithin(limit time.Duration, what string, holds func() bool) {
	for deadline := time.Now().Add(limit); !holds(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			panic(fmt.Sprintf("not within %v: %s", limit, what))
		}
	}
}

func print(line any) {
	Must(json.NewEncoder(os.Stdout).Encode(line))
}
