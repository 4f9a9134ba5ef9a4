package object

import "sigs.k8s.io/yaml"

// YAMLToJSON turns the first document of a YAML text into JSON. As in Kubernetes this is YAML 1.1 in part:
// y and n are bools. Of duplicate keys the last one counts, see YAMLProblem.
func YAMLToJSON(data []byte) ([]byte, error) { return yaml.YAMLToJSON(data) }

// YAMLProblem returns what a strict reading of a YAML text finds wrong with it: keys that occur twice.
// The error names all of them with their lines; nil if there are none.
func YAMLProblem(data []byte) error {
	_, err := yaml.YAMLToJSONStrict(data)
	return err
}

// JSONToYAML turns a JSON text into YAML, keys sorted.
func JSONToYAML(data []byte) ([]byte, error) { return yaml.JSONToYAML(data) }
