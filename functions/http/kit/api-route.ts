/** How a route is declared. The compiler asks each one who may call it, and under which name clients know it. */
import { createRoute, type RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type Access, roleFor } from '../../../shared/identity/access.ts';
import { roles } from '../../../shared/identity/roles.ts';
import type { HttpApp } from '../options.ts';

const accessKey = 'x-poolwright-access';

interface Declared {
  access: Access;
  /** What generators of clients name a method after; never renamed. */
  operationId: string;
}

export function apiRoute<P extends string, R extends Omit<RouteConfig, 'path'> & { path: P } & Declared>(config: R) {
  const { access, ...rest } = config;
  const role = roleFor(access);
  const declared = { [accessKey]: access, ...(role === undefined ? { security: [] } : { 'x-poolwright-role': role }) };
  // The document must not have a field that OpenAPI does not know, and no code reads it from the route.
  return createRoute<P, R>({ ...(rest as object as R), ...declared });
}

/** By method and path as the router has them; undefined for a route that declares nothing. */
export type Accesses = ReadonlyMap<string, Access | undefined>;

/** Reads the registry that the OpenAPI document is made of: there is no second list to forget. */
export function accessesOf(app: HttpApp): Accesses {
  const routes = app.openAPIRegistry.definitions.flatMap((one) => (one.type === 'route' ? [one.route] : []));
  return new Map(
    routes.map((route) => {
      const path = route.path.replaceAll(/\/\{(.+?)\}/g, '/:$1');
      return [`${route.method.toUpperCase()} ${path}`, route[accessKey] as Access | undefined];
    }),
  );
}

const strictness = (access: Access | undefined): number => {
  if (access === undefined) return roles.length + 1;
  const role = roleFor(access);
  return role === undefined ? -1 : roles.indexOf(role);
};

/** Of all that fit the request, the one that asks the most. `none`: no route fits. */
export function accessTo(c: Context, accesses: Accesses): Access | 'none' | undefined {
  const found = matchedRoutes(c).flatMap(({ method, path }) => {
    const key = `${method} ${path}`;
    return accesses.has(key) ? [accesses.get(key)] : [];
  });
  if (found.length === 0) return 'none';
  return found.reduce((most, one) => (strictness(one) > strictness(most) ? one : most));
}
