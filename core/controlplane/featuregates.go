package controlplane

// gateCBOR is the feature gate for CBOR in a real server.
const gateCBOR = "CBORServingAndStorage"

// cborSetting is looked up by every request. There is no other gate.
var cborSetting = setting{
	path: "featureGates." + gateCBOR,
	parse: func(in section, name string, s *Settings) {
		in.bool(name, &s.CBOR)
		in.only(gateCBOR)
	},
	show: func(s *Settings) any { return s.CBOR },
}
