/** Sizes that EBS has: whole numbers of a unit, 64 TiB at most. A pattern, because the API server has to refuse the others too. */
const upTo65536 = '[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-6]';
const upTo70368 = '[1-9][0-9]{0,3}|[1-6][0-9]{4}|70[0-2][0-9]{2}|703[0-5][0-9]|7036[0-8]';
const upTo64 = '[1-9]|[1-5][0-9]|6[0-4]';
const upTo70 = '[1-9]|[1-6][0-9]|70';

export const volumeSizePattern = `^((${upTo65536})Gi|(${upTo70368})G|(${upTo64})Ti|(${upTo70})T)$`;
