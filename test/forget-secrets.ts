/** Before each file of tests: the files share a process, and what is a token in one of them is an ordinary word in another. */
import { forgetSecrets } from '../shared/base/secrets/known-secrets.ts';

forgetSecrets();
