package stage

import "strconv"

// layout is where the stage lies and how large its parts are, in pixels.
type layout struct {
	width    float64 // of the plots
	ruler    float64 // height of the ruler's plot
	height   float64 // of what is seen of the rows
	scrolled float64 // how far the rows are scrolled
	lane     float64 // height of a lane, in units
	program  float64 // height of a program's row, in units
	grow     float64 // how much higher the other rows are than usual
	bin      int64   // revisions a bar, as the bar above the stage says
	hidden   bool    // the stage has no size
	low      bool    // the window is
	most     int     // lanes that fit into the presenter; 0: all are shown
}

// sizes are those of the stage's parts, and of the unit, in pixels; large: the page presents.
type sizes struct {
	width, ruler, height, unit float64
	large                      bool
}

// sized takes the sizes.
func (p *panel) sized(s sizes) {
	l := &p.layout
	l.width, l.ruler, l.height = s.width, s.ruler, s.height
	l.hidden = l.width == 0 || l.ruler == 0
	p.scene.Large = s.large
	if s.unit > 0 && l.width > 0 {
		p.cam.Resize(l.width, s.unit)
	}
	p.fit()
	p.changed = true
	p.book()
}

// fit chooses how high lanes are: they give up room before any of them is out of
// sight, and become thin when there are many.
func (p *panel) fit() {
	l := &p.layout
	lanes := float64(len(p.model.Lanes.List))
	other, programs := 0.0, 0.0
	l.grow = 1
	for _, r := range p.shown() {
		switch {
		case r.written != nil:
			programs++
		case r.lane == nil:
			other += r.units
		}
	}
	room := l.height/max(p.cam.U, 0.1) - other
	program := min(max((room-lanes*LowUnits)/max(1, programs), LowProgramUnits), ProgramUnits)
	if p.scene.Narrow {
		program = PhoneUnits
	}
	other += programs * program
	room -= programs * program
	lane := LaneUnits
	l.most = 0
	if lanes*LaneUnits > room {
		lane = LowUnits
	}
	if lanes > 8 && lanes*LowUnits > 1.6*room {
		lane = DenseUnits
	}
	switch {
	case p.scene.Narrow:
		lane = PhoneUnits
	case p.scene.Large:
		l.most = int(max(1, room/LaneUnits))
		lanes = min(lanes, float64(l.most))
		l.grow = min(max(1, (room+other)/max(1, lanes*LaneUnits+other)), MostGrowth)
		lane = max(LaneUnits, (room+other-l.grow*other)/max(1, lanes))
	case l.low && lane > 46:
		lane = 46
	}
	if lane != l.lane || program != l.program || l.bin == 0 {
		l.lane, l.program = lane, program
		p.lists.Do()
	}
	// Below the last row there is room, so that the first one is whole when they are scrolled to their end.
	end := 0.0
	if over := lanes*lane + addUnits - room; over > 0 && !p.scene.Large && !p.scene.Narrow {
		for _, r := range p.shown() {
			if end < over {
				end += r.units
			}
		}
		end = max(0, end-over)
	}
	for name, v := range map[string]float64{
		"--lane": lane, "--program": program, "--grow": l.grow, "--end": end,
	} {
		p.on.style(name, strconv.FormatFloat(v, 'f', -1, 64))
	}
}
