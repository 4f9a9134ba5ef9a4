//go:build !js

package practice

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const someCases = "# T\n\n```cases\n| need | n |\n|---|---|\n| own | 1 |\n| any | 2 |\n\n" +
	"| old |\n|---|\n| red |\n| a \\| b |\n\n" +
	"| new | when |\n|---|---|\n| red | old!=$new |\n| x{{$n}} | need=own |\n```\n\n" +
	"```text task need=own\nTwo\n\n{{$new}}\n```\n\nsay {{$need}} {{$old}} {{$new}} {{$task}}\n"

func TestCases(t *testing.T) {
	rest, c, err := readCases(someCases)
	if err != nil || c == nil || strings.Contains(rest, "```") {
		t.Fatal(rest, err)
	}
	var all []string
	for seed := 1; seed <= 5; seed++ {
		v, err := c.values(Template{ID: "p", Source: rest}, seed)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := v["n"]; ok {
			t.Error("a value that is not shown")
		}
		all = append(all, v["need"]+" "+v["old"]+" "+v["new"]+" "+v["task"])
	}
	if all[4] != all[0] {
		t.Errorf("there are four cases, and then the first again: %q", all)
	}
	got := all[:4]
	slices.Sort(got)
	want := []string{"any a | b red ", "own a | b red Two\n\nred", "own a | b x1 Two\n\nx1", "own red x1 Two\n\nx1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("cases %q, want %q", got, want)
	}
	if rest, c, err := readCases("# T\n"); c != nil || err != nil || rest != "# T\n" {
		t.Error("a template without cases", rest, c, err)
	}
}

func TestWrongCases(t *testing.T) {
	for _, bad := range []string{"| a |\n|---|\n", "| a | b |\n|---|---|\n| 1 |\n", "no table\n", "| a |\n|---|\n| b\n"} {
		if _, _, err := readCases("```cases\n" + bad + "```\n"); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	_, c, err := readCases("```cases\n| a |\n|---|\n| {{$b}} |\n\n| b |\n|---|\n| {{$a}} |\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.values(Template{ID: "p", Source: "{{$a}}"}, 1); err == nil {
		t.Error("values that are made of each other")
	}
	_, c, err = readCases("```cases\n| a | when |\n|---|---|\n| 1 | a=2 |\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.values(Template{ID: "p", Source: "{{$a}}"}, 1); err == nil {
		t.Error("no case is left")
	}
}

// TestRowsOfCases draws two rows of three, and wants conditions with several values to hold for each.
func TestRowsOfCases(t *testing.T) {
	_, c, err := readCases("```cases\n2 rows\n| n | of |\n|---|---|\n| 1 | a |\n| 1 | b |\n| 2 | c |\n\n" +
		"| end | when |\n|---|---|\n| x | of1=a,b |\n| y | of1!=a,b |\n\nvalues\n| p | P |\n| q | Q |\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.all(rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range all {
		got = append(got, v["n1"]+v["n2"]+v["of1"]+v["of2"]+v["end"]+v["p"]+v["q"])
	}
	slices.Sort(got)
	if want := []string{"12acxPQ", "12bcxPQ", "21cayPQ", "21cbyPQ"}; !reflect.DeepEqual(got, want) {
		t.Errorf("cases %q, want %q", got, want)
	}
}

// TestChoicesOfCases wants a case's choices to differ, and leaves out a case that has too few.
func TestChoicesOfCases(t *testing.T) {
	_, c, err := readCases("```cases\n| n | m |\n|---|---|\n| 1 | 2 |\n| 1 | 1 |\n```\n\n" +
		"```text choices\n- {{$n}}\n  right\n- {{$m}}\n  wrong\n- 1\n  again\n\n- 3\n  wrong\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.all(rand.New(rand.NewPCG(1, 1)))
	if err != nil || len(all) != 1 || all[0]["choices"] != "- 1\n  right\n- 2\n  wrong\n- 3\n  wrong" {
		t.Errorf("%q, %v", all, err)
	}
}

// TestSharedCases wants what templates share to be read, or refused.
func TestSharedCases(t *testing.T) {
	_, c, err := readCases("```cases\nuse pots\n\n| a |\n|---|\n| 1 |\n```\n")
	if err != nil || len(c.tables) != 1 || len(c.texts) == 0 {
		t.Errorf("%v, %v", c, err)
	}
	for _, bad := range []string{
		"use nothing\n", "no rows\n| a |\n|---|\n| 1 |\n", "0 rows\n| a |\n|---|\n| 1 |\n", "values\n| a | 1 | 2 |\n",
	} {
		if _, _, err := readCases("```cases\n" + bad + "```\n"); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
