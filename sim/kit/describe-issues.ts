/** What is wrong with a request to a stand-in. */
import type { z } from 'zod';

/** `tags[2]: expected string`, all of them in one line. */
export const describeIssues = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; ');
