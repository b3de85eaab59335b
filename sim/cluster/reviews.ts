/** "May I?" (SelfSubjectAccessReview): nobody is asked for an identity here, so everybody may do everything. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../../shared/base/json.ts';
import { badRequest, methodNotAllowed } from './api-error.ts';
import { contentTypeOf, parseObjectBody, readBody, sendJson } from './http.ts';

export const isReview = (segments: string[]): boolean =>
  segments.join('/') === 'apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** The question is not stored; the answer is the question with a status. */
export async function review(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') throw methodNotAllowed();
  const body = parseObjectBody(await readBody(request), contentTypeOf(request));
  if (!isObject(body) || body.kind !== 'SelfSubjectAccessReview') {
    throw badRequest('this endpoint takes a SelfSubjectAccessReview');
  }
  const { kind, apiVersion = 'authorization.k8s.io/v1', spec = {} } = body;
  const answer = { kind, apiVersion, metadata: {}, spec, status: { allowed: true } };
  sendJson(response, 201, JSON.stringify(answer));
}
