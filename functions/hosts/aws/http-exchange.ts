/**
 * One request of an HTTP API (payload format 2.0) to a Web Request, and the answer back. Hono's own adapter for Lambda is on its
 * way out of the library, and it breaks on a GET that brings a body, which the platform lets through.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { HttpFunctions } from '../../http/app.ts';
import { exchange } from '../common/http-exchange.ts';

export async function exchangeHttp(
  app: HttpFunctions,
  event: APIGatewayProxyEventV2,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { method } = event.requestContext.http;
  const { status, headers, body } = await exchange(
    app,
    { method, url: urlOf(event), headers: headersOf(event), body: bodyOf(event) },
    { certificateNames: certificateNames(event) },
  );
  return {
    statusCode: status,
    headers: Object.fromEntries(headers.filter(([name]) => name !== 'set-cookie')),
    ...answerBody(body),
  };
}

/** The path as it was asked for: `rawPath` has the name of a stage before it where there is one that is not the default. */
export function pathOf({ rawPath, requestContext: { stage } }: APIGatewayProxyEventV2): string {
  if (stage === '$default' || !rawPath.startsWith(`/${stage}/`)) return rawPath;
  return rawPath.slice(stage.length + 1);
}

function urlOf(event: APIGatewayProxyEventV2): string {
  const { rawQueryString, requestContext } = event;
  const query = rawQueryString ? `?${rawQueryString}` : '';
  return `https://${requestContext.domainName}${encodedAgain(pathOf(event))}${query}`;
}

/** Where the last parameter of a path may hold slashes: the id of a workflow does. */
const withSlashes = /^(\/v1\/workflows\/)(.+?)(\/retry|\/restart)?$/;
/** A `%` that begins no byte, and whatever else never stands in the path of a URL as it is. */
const neverPlain = /%(?![0-9a-f]{2})|[^\w%!$&'()*+,\-./:;=@~]/giu;

/** The platform decodes the path before it hands it over, though it calls it raw; a `/` in a name can't be told from others then. */
function encodedAgain(path: string): string {
  const joined = path.replace(
    withSlashes,
    (_, before: string, id: string, after = '') => `${before}${id.replaceAll('/', '%2F')}${after}`,
  );
  return joined.toWellFormed().replace(neverPlain, (one) => encodeURIComponent(one));
}

/**
 * The platform joins headers of one name with commas, and takes cookies out; nobody here reads any. It reads them as UTF-8, and a
 * Web Request takes no more than a byte per character: anybody could make the function fail with a header.
 */
const headersOf = ({ headers }: APIGatewayProxyEventV2): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Buffer.from(value, 'utf8').toString('latin1')] as [string, string]],
  );

function bodyOf({ body, isBase64Encoded }: APIGatewayProxyEventV2): Uint8Array<ArrayBuffer> | undefined {
  return body === undefined ? undefined : Uint8Array.from(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}

/** A text goes as it is, so that it can be read in a trace; what is none would be mangled. */
function answerBody(bytes: Uint8Array): Pick<APIGatewayProxyStructuredResultV2, 'body' | 'isBase64Encoded'> {
  const text = Buffer.from(bytes).toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes)) return { body: text, isBase64Encoded: false };
  return { body: Buffer.from(bytes).toString('base64'), isBase64Encoded: true };
}

/** Of a client certificate that the platform has checked against the trust store of a custom domain. */
function certificateNames({ requestContext }: APIGatewayProxyEventV2): string[] {
  const subject = requestContext.authentication?.clientCert.subjectDN ?? '';
  const name = /(?:^|,)\s*CN=([^,]+)/i.exec(subject)?.[1];
  return name === undefined ? [] : [name];
}
