/** HTTP: the API, the intake of events and the webhook. Who may call is decided by our own tokens, not by keys of the platform. */
import { app, input } from '@azure/functions';

const durableClient = input.generic({ type: 'durableClient' });

app.http('http', {
  route: '{*path}',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  authLevel: 'anonymous',
  extraInputs: [durableClient],
  handler: async (request, context) => {
    const { handleHttp } = await import('../handlers/http.ts');
    return handleHttp(request, context, context.extraInputs.get(durableClient));
  },
});
