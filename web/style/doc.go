// Package style is where the page's style sheets lie. base.css has the variables
// and what every panel is made of, layout.css says where the panels are, and one
// sheet for each group of panels dresses those. They are bundled in the order
// base, layout, console, timeline, lesson. dark.css, which is put behind them, has the
// variables that are others in the dark.
//
// There is no code here, but colours are checked by calculation: readable on
// every surface, and told apart by people who see colours otherwise.
package style
