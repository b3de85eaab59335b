/** What every bundle is compared with: a function that does nothing. */
import { app } from '@azure/functions';

app.timer('empty', { schedule: '0 0 0 1 1 *', handler: () => undefined });
