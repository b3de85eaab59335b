/**
 * VirtRigaud's manager starts the image of a provider with options and no command, and says in the environment that it is one. So do we for the
 * pods of a Provider.
 */
const ofManager = ['--port', '--health-port'];

export function asProvider(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const [first = ''] = args;
  const isAsked = ofManager.includes(first.split('=')[0] ?? '');
  return isAsked && env.PROVIDER_TYPE ? ['provider', ...args] : args;
}
