// The rules are CommonJS modules without types of their own, and only some have a default export.
declare module 'textlint-rule-*' {
  type Rule = import('@textlint/kernel').TextlintKernelRule['rule']
  const rule: Rule & { readonly default: Rule }
  export default rule
}
