/** What a provider accepts as the name of a machine. */

export interface NameLimits {
  /** Absent: one character is enough. */
  minLength?: number;
  maxLength: number;
  /** `dns-label`: lower-case letters, digits and inner hyphens. `lower-alnum`: no hyphens. */
  pattern: 'dns-label' | 'lower-alnum';
  /** Whether the first character must be a letter. */
  firstLetter: boolean;
}

export function isAllowedName(name: string, { minLength = 1, maxLength, pattern, firstLetter }: NameLimits): boolean {
  const shape = pattern === 'dns-label' ? /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/ : /^[a-z0-9]+$/;
  const fits = name.length >= minLength && name.length <= maxLength;
  return fits && shape.test(name) && (!firstLetter || /^[a-z]/.test(name));
}
