// kubectl-convert of a release, the plugin from the module of the reference system.
package main

import (
	"os"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubernetes/pkg/kubectl/cmd/convert"
)

func main() {
	factory := util.NewFactory(genericclioptions.NewConfigFlags(true))
	streams := genericclioptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	os.Exit(cli.Run(convert.NewCmdConvert(factory, streams)))
}
