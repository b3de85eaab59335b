/** What is answered when no route fits: 405 when only the method is wrong, else 404 with the nearest path. */
import type { Context, MiddlewareHandler, NotFoundHandler } from 'hono';
import { nearest } from '../../../shared/base/nearest.ts';
import type { HttpApp } from '../options.ts';
import { problem } from './problem.ts';

interface KnownPath {
  segments: string[];
  methods: Set<string>;
}

/**
 * Reads the routes from the registry that the OpenAPI document is made of: there is no second list to forget. A path without parameters
 * comes before one that it also fits: GET /v1/dead-letters/replay is a wrong method, not a dead letter called "replay".
 */
export function unknownPath(app: HttpApp): { refuseMethod: MiddlewareHandler; notFound: NotFoundHandler } {
  let known: KnownPath[] | undefined;
  const methodsOf = (written: string[]): Set<string> | undefined => {
    known ??= knownPaths(app);
    const [nearest] = known
      .filter(({ segments }) => fits(segments, written))
      .sort((one, other) => parametersIn(one) - parametersIn(other));
    return nearest?.methods;
  };
  return {
    refuseMethod: async (c, next) => {
      const methods = methodsOf(c.req.path.split('/'));
      const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
      return methods === undefined || methods.has(method) ? next() : wrongMethod(c, [...methods]);
    },
    notFound: (c) => notFound(c, c.req.path.split('/'), known ?? knownPaths(app)),
  };
}

function wrongMethod(c: Context, methods: string[]): Response {
  const allow = [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)].sort().join(', ');
  return problem(c, 405, 'method-not-allowed', `This path allows ${allow}.`, {}, { allow });
}

function notFound(c: Context, written: string[], known: KnownPath[]): Response {
  // A parameter takes whatever stands in its place, so that only the fixed parts are compared.
  const candidates = new Map(
    known.map(({ segments }) => [
      segments.map((segment, index) => (isParameter(segment) ? (written[index] ?? segment) : segment)).join('/'),
      segments.join('/'),
    ]),
  );
  const near = nearest(written.join('/'), candidates.keys());
  const hint = near === undefined ? 'All paths are in /openapi.json.' : `The closest match is ${candidates.get(near)}.`;
  return problem(c, 404, 'unknown-path', `This path does not exist. ${hint}`);
}

function knownPaths(app: HttpApp): KnownPath[] {
  const byPath = new Map<string, KnownPath>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { path, method } = definition.route;
    const entry = byPath.get(path) ?? { segments: path.split('/'), methods: new Set() };
    entry.methods.add(method.toUpperCase());
    byPath.set(path, entry);
  }
  return [...byPath.values()];
}

const parametersIn = ({ segments }: KnownPath): number => segments.filter(isParameter).length;

const isParameter = (segment: string): boolean => segment.startsWith('{');

const fits = (segments: string[], written: string[]): boolean =>
  segments.length === written.length &&
  segments.every((segment, index) => (isParameter(segment) ? written[index] !== '' : segment === written[index]));
