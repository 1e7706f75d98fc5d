// The rules have no types of their own.
declare module 'textlint-rule-*' {
  const rule: import('@textlint/types').TextlintRuleModule
  export default rule
}
