/** The node classes that the provider `sim` serves; apart from its code, so that they are known before it is loaded. */
export const simNodeClasses = [
  { group: 'poolwright.dev', version: 'v1alpha1', kind: 'SimNodeClass', plural: 'simnodeclasses' },
] as const;
