// Package style has the page's style sheets. base.css has the variables and what every panel is made
// of, layout.css says where the panels are, and there is a sheet for each panel or group of panels.
// dark.css has the variables that differ in the dark. The site's builder bundles them.
//
// There is no code here, but tests check the colours by calculation: they can be read on every
// surface, and people with other colour vision can tell them apart.
package style
