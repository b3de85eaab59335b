/** The page about the provider server: the mock, and the driver that is shown as a beginning for one's own. */
import { runPage } from './run-page.ts';

runPage('docs/provider-server.md', { ports: [9443, 8080, 9444, 8081] });
