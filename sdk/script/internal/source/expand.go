package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// Limits of the functions and types that generic ones become.
const (
	maxInstances = 2000
	maxName      = 1000 // bytes of a name with its types, which can double from function to function
)

// expander replaces generic functions and types by those for the types that the script
// uses, so that neither the rules nor the interpreter see type parameters. All nodes
// keep their positions.
type expander struct {
	*Source
	generic   map[types.Object]declared // of the script
	methods   map[types.Object][]declared
	names     map[string]bool // of instances
	count     int             // of functions of the library
	problems  []Problem
	instances []func() // to be made
}

// declared is a declaration of a generic function, type or method.
type declared struct {
	file *ast.File
	node ast.Node // *ast.FuncDecl or *ast.TypeSpec
}

// expand replaces everything generic. If it reports true, the types must be checked
// again.
func (s *Source) expand() (changed bool, problems []Problem) {
	x := &expander{Source: s, generic: map[types.Object]declared{}, methods: map[types.Object][]declared{}, names: map[string]bool{}}
	for _, file := range s.Files {
		for _, decl := range file.Decls {
			x.declare(file, decl)
		}
	}
	if !x.needed() {
		return false, nil
	}
	for _, file := range slices.Clone(s.Files) {
		var decls []ast.Decl
		for _, decl := range file.Decls {
			if kept := x.kept(decl); kept != nil {
				decls = append(decls, x.copy(kept, nil).(ast.Decl))
			}
		}
		file.Decls = decls
	}
	for len(x.instances) > 0 && len(x.problems) == 0 {
		next := x.instances[0]
		x.instances = x.instances[1:]
		next()
	}
	return true, x.problems
}

// needed reports whether the script has anything generic.
func (x *expander) needed() bool {
	if len(x.generic) > 0 || len(x.Info.Instances) > 0 {
		return true
	}
	for _, o := range x.Info.Uses {
		if b, ok := o.(*types.Builtin); ok && generic["builtin"][b.Name()] != "" {
			return true
		}
	}
	for _, o := range x.Info.Defs {
		if t, ok := o.(*types.TypeName); ok {
			if constraint, ok := t.Type().Underlying().(*types.Interface); ok && !constraint.IsMethodSet() {
				return true
			}
		}
	}
	return slices.ContainsFunc(x.Files, func(file *ast.File) bool {
		return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return isGeneric(strings.Trim(spec.Path.Value, "`\"")) })
	})
}

func (x *expander) refuse(at token.Pos, format string, args ...any) {
	p := x.Position(at)
	x.problems = append(x.problems, Problem{p.Filename, p.Line, p.Column, fmt.Sprintf(format, args...)})
}

// declare notes generic declarations.
func (x *expander) declare(file *ast.File, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Type.TypeParams != nil {
			x.generic[x.Info.Defs[d.Name]] = declared{file, d}
		} else if base := receiverBase(d); base != nil {
			o := x.Info.Uses[base]
			x.methods[o] = append(x.methods[o], declared{file, d})
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok && t.TypeParams != nil {
				x.generic[x.Info.Defs[t.Name]] = declared{file, t}
			}
		}
	}
}

// receiverBase returns the name of the generic type of a method, or nil.
func receiverBase(d *ast.FuncDecl) *ast.Ident {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return nil
	}
	base, _ := receiverParams(d)
	return base
}

// receiverParams returns the name of the generic type of a method and those of its type
// parameters.
func receiverParams(d *ast.FuncDecl) (base *ast.Ident, params []ast.Expr) {
	t := ast.Unparen(d.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
	}
	switch t := t.(type) {
	case *ast.IndexExpr:
		base, _ = t.X.(*ast.Ident)
		return base, []ast.Expr{t.Index}
	case *ast.IndexListExpr:
		base, _ = t.X.(*ast.Ident)
		return base, t.Indices
	}
	return nil, nil
}

// kept returns what remains of a declaration: not what is generic, nor interfaces that
// can only be constraints, nor imports of generic packages.
func (x *expander) kept(decl ast.Decl) ast.Decl {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Type.TypeParams != nil || receiverBase(d) != nil {
			return nil
		}
	case *ast.GenDecl:
		specs := slices.DeleteFunc(slices.Clone(d.Specs), func(spec ast.Spec) bool {
			drop := false
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				constraint, ok := x.Info.Defs[spec.Name].Type().Underlying().(*types.Interface)
				drop = spec.TypeParams != nil || ok && !constraint.IsMethodSet()
			case *ast.ImportSpec:
				drop = isGeneric(strings.Trim(spec.Path.Value, "`\""))
			}
			return drop
		})
		if len(specs) == 0 && len(d.Specs) > 0 {
			return nil
		}
		rest := *d
		rest.Specs = specs
		return &rest
	}
	return decl
}

// copy returns a copy of a node in which generic names and type parameters are
// replaced.
func (x *expander) copy(n ast.Node, in env) ast.Node {
	switch n := n.(type) {
	case *ast.StructType:
		for _, field := range n.Fields.List {
			if named, ok := unpointed(x.TypeOf(field.Type)).(*types.Named); ok && len(field.Names) == 0 && named.TypeArgs().Len() > 0 {
				x.refuse(field.Pos(), "an embedded generic type: the interpreter does not support it; give the field a name")
			}
		}
	case *ast.CallExpr:
		if call := x.call(n, in); call != nil {
			return call
		}
	case *ast.IndexExpr:
		if name := x.instanceOf(n.X, n.Pos(), in); name != nil {
			return name
		}
	case *ast.IndexListExpr:
		if name := x.instanceOf(n.X, n.Pos(), in); name != nil {
			return name
		}
	case *ast.SelectorExpr:
		if name := x.instanceOf(n, n.Pos(), in); name != nil {
			return name
		}
	case *ast.Ident:
		if t, ok := x.Info.ObjectOf(n).(*types.TypeName); ok {
			if p, ok := t.Type().(*types.TypeParam); ok && in != nil {
				if arg, ok := in[p]; ok {
					return arg.expr(n.Pos())
				}
			}
		}
		if name := x.instanceOf(n, n.Pos(), in); name != nil {
			return name
		}
	}
	v := reflect.ValueOf(n).Elem()
	c := reflect.New(v.Type())
	for i := range v.NumField() {
		c.Elem().Field(i).Set(x.copied(v.Field(i), in))
	}
	copied := c.Interface().(ast.Node)
	if call, ok := n.(*ast.CallExpr); ok { // a conversion to a pointer of a type argument and the like
		if star, ok := copied.(*ast.CallExpr).Fun.(*ast.StarExpr); ok {
			copied.(*ast.CallExpr).Fun = &ast.ParenExpr{Lparen: call.Pos(), X: star, Rparen: call.Pos()}
		}
	}
	return copied
}

func unpointed(t types.Type) types.Type {
	if pointer, ok := t.(*types.Pointer); ok {
		return pointer.Elem()
	}
	return types.Unalias(t)
}

var nodeType = reflect.TypeFor[ast.Node]()

// copied copies a field of a node.
func (x *expander) copied(v reflect.Value, in env) reflect.Value {
	switch {
	case (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil():
		return v
	case v.Type().Implements(nodeType):
		if _, comments := v.Interface().(*ast.CommentGroup); comments {
			return v
		}
		return reflect.ValueOf(x.copy(v.Interface().(ast.Node), in))
	case v.Kind() == reflect.Slice && !v.IsNil():
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(x.copied(v.Index(i), in))
		}
		return c
	default:
		return v
	}
}

// instanceOf returns the name of the instance that a generic name denotes; nil: it is
// not a generic name.
func (x *expander) instanceOf(e ast.Expr, at token.Pos, in env) ast.Node {
	var name *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		name = e
	case *ast.SelectorExpr:
		name = e.Sel
	}
	instance, ok := x.Info.Instances[name]
	if name == nil || !ok {
		return nil
	}
	var list []types.Type
	for t := range instance.TypeArgs.Types() {
		list = append(list, t)
	}
	o := x.Info.Uses[name]
	if o.Pkg() != x.Pkg {
		return x.fromLibrary(at, o.Pkg().Path(), o.Name(), list, in)
	}
	var args []argument
	var texts []string
	for _, t := range list {
		arg, ok := x.argument(t, in, at)
		if !ok {
			return ast.NewIdent(name.Name)
		}
		args, texts = append(args, arg), append(texts, arg.text)
	}
	text := o.Name() + "[" + strings.Join(texts, ",") + "]"
	x.make(o, text, args, at)
	return &ast.Ident{NamePos: at, Name: text}
}

// make adds an instance of a generic function or type of the script.
func (x *expander) make(o types.Object, name string, args []argument, at token.Pos) {
	if len(name) > maxName {
		x.refuse(at, "%s has a type of more than %d bytes: give its type arguments shorter names, or nest fewer", o.Name(), maxName)
		return
	}
	if x.names[name] {
		return
	}
	x.names[name] = true
	if len(x.names) > maxInstances {
		x.refuse(at, "%s: more than %d functions and types would be made from generic ones", name, maxInstances)
		return
	}
	d := x.generic[o]
	x.instances = append(x.instances, func() {
		switch n := d.node.(type) {
		case *ast.FuncDecl:
			plain, signature := *n, *n.Type
			plain.Type, signature.TypeParams = &signature, nil
			f := x.copy(&plain, bind(o.Type().(*types.Signature).TypeParams(), args)).(*ast.FuncDecl)
			f.Name = &ast.Ident{NamePos: n.Name.NamePos, Name: name}
			d.file.Decls = append(d.file.Decls, f)
		case *ast.TypeSpec:
			plain := *n
			plain.TypeParams = nil
			t := x.copy(&plain, bind(o.Type().(*types.Named).TypeParams(), args)).(*ast.TypeSpec)
			t.Name = &ast.Ident{NamePos: n.Name.NamePos, Name: name}
			d.file.Decls = append(d.file.Decls, &ast.GenDecl{TokPos: n.Pos(), Tok: token.TYPE, Specs: []ast.Spec{t}})
			for _, m := range x.methods[o] {
				x.method(m, name, args)
			}
		}
	})
}

// method adds a method of an instance of a generic type.
func (x *expander) method(m declared, name string, args []argument) {
	decl := m.node.(*ast.FuncDecl)
	params := x.Info.Defs[decl.Name].Type().(*types.Signature).RecvTypeParams()
	receiver := *decl
	receiver.Recv = nil // it declares the type parameters
	f := x.copy(&receiver, bind(params, args)).(*ast.FuncDecl)
	field := *decl.Recv.List[0]
	field.Names = nil
	for _, name := range decl.Recv.List[0].Names {
		field.Names = append(field.Names, &ast.Ident{NamePos: name.NamePos, Name: name.Name})
	}
	at := field.Type.Pos()
	field.Type = &ast.Ident{NamePos: at, Name: name}
	if _, pointer := ast.Unparen(decl.Recv.List[0].Type).(*ast.StarExpr); pointer {
		field.Type = &ast.StarExpr{Star: at, X: field.Type}
	}
	f.Recv = &ast.FieldList{Opening: decl.Recv.Opening, List: []*ast.Field{&field}, Closing: decl.Recv.Closing}
	m.file.Decls = append(m.file.Decls, f)
}

func bind(params *types.TypeParamList, args []argument) env {
	in := env{}
	for i := range params.Len() {
		in[params.At(i)] = args[i]
	}
	return in
}
