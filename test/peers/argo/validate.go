// Judges a WorkflowTemplate from stdin as Argo Workflows does: the template itself, then a run of it with the parameters that the arguments
// give as name=value. Prints what Argo refuses, and exits with 1 then.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	wfv1 "github.com/argoproj/argo-workflows/v4/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v4/util/logging"
	"github.com/argoproj/argo-workflows/v4/workflow/templateresolution"
	"github.com/argoproj/argo-workflows/v4/workflow/validate"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	exitOn("read", err)
	var template wfv1.WorkflowTemplate
	exitOn("parse", yaml.UnmarshalStrict(text, &template))

	ctx := logging.InitLoggerInContext()
	none := &templateresolution.NullWorkflowTemplateNamespacedGetter{}
	cluster := &templateresolution.NullClusterWorkflowTemplateGetter{}
	exitOn("template", validate.ValidateWorkflowTemplate(ctx, none, cluster, &template, nil, validate.ValidateOpts{Lint: true}))

	run := wfv1.Workflow{Spec: *template.Spec.DeepCopy()}
	run.Name = "run"
	for _, argument := range os.Args[1:] {
		name, value, _ := strings.Cut(argument, "=")
		for i := range run.Spec.Arguments.Parameters {
			if run.Spec.Arguments.Parameters[i].Name == name {
				run.Spec.Arguments.Parameters[i].Value = wfv1.AnyStringPtr(value)
			}
		}
	}
	exitOn("run", validate.ValidateWorkflow(ctx, none, cluster, &run, nil, validate.ValidateOpts{Lint: true}))
	fmt.Println("valid")
}

func exitOn(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}
