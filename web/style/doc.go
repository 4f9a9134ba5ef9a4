// Package style has the style sheets that the panels share; a panel's own are beside its templates. base.css has the
// variables and what every panel is made of, layout.css says where the panels are, and dark.css has the variables that
// differ in the dark. The site's builder bundles all of them.
//
// There is no code here, but tests check the colours by calculation: they can be read on every
// surface, and people with other colour vision can tell them apart.
package style
