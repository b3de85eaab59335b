/** All of HTTP, behind one catch-all route. Who may call is decided by our own tokens, not by an authorizer of the platform. */
export { handleHttp as handler } from '../handlers/http.ts';
