/** All of HTTP, behind one catch-all route. Who may call is decided by our own tokens, not by an authorizer of the platform. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

export async function handler(
  event: APIGatewayProxyEventV2,
  context: Context,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { handleHttp } = await import('../handlers/http.ts');
  return handleHttp(event, context);
}
