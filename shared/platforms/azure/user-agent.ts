/** How Azure's logs name us. */
import manifest from '../../../package.json' with { type: 'json' };

export const userAgent = `poolwright/${manifest.version}`;
