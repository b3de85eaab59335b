/**
 * A provider before its code is loaded. What only wants to know whose a claim is (a watcher) is answered from what is known without
 * the cloud; the rest comes with the first call that needs it.
 */
import type { Check } from '../base/checks.ts';
import { errorText } from '../base/error-text.ts';
import { type Failure, failed, ok, type Result } from '../base/result.ts';
import type { Provider } from './contract.ts';
import { foundWrong } from './findings.ts';
import { callOn, type Intercept, type OptionalMethods, type ProviderFacts, wrapProvider } from './wrap.ts';

export type ClosableProvider = Provider & { close(): void };

/** @param has Which optional methods the provider has; the compiler compares it with the provider's own type. */
export function lazyProvider<P extends ClosableProvider>(
  facts: ProviderFacts,
  has: OptionalMethods<P>,
  load: () => Promise<P>,
): ClosableProvider {
  const code = loadOnce(facts.name, load);
  const intercept: Intercept = async (method, values) => {
    const opened = await code.open();
    if (opened.ok) return callOn(opened.value, method, values);
    return method === 'check' ? [notLoaded(opened.error)] : opened;
  };
  return Object.assign(
    wrapProvider((fact) => facts[fact], has, intercept),
    { close: code.close },
  );
}

/** The cause names the package. */
function notLoaded(failure: Failure): Check {
  const message = failure.cause === undefined ? failure.message : `${failure.message}: ${failure.cause}`;
  return foundWrong('code', { ...failure, message }, 'install the package that the message names');
}

/** Loads with the first call; after a failure the next call tries again. */
export function loadOnce<P extends { close(): void }>(name: string, load: () => Promise<P>) {
  let opened: Promise<P> | undefined;
  return {
    open: async (): Promise<Result<P>> => {
      opened ??= load();
      const opening = opened;
      try {
        return ok(await opening);
      } catch (error) {
        if (opened === opening) opened = undefined;
        return failed('unavailable', `the code of provider ${name} could not be loaded`, { cause: errorText(error) });
      }
    },
    close: (): void => {
      // What could not be opened needs no closing.
      opened?.then((provider) => provider.close()).catch(() => undefined);
      opened = undefined;
    },
  };
}
