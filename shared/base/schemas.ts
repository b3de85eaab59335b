/**
 * The small style of the library of schemas, with the messages that it leaves out. What a function checks before it can act is written
 * with this: the other style is half as much code again in a bundle, and its first schemas take several times as long to make.
 */
import { en } from 'zod/locales';
import { config } from 'zod/mini';

export * from 'zod/mini';

config(en());
