/**
 * The longest pattern for branches, in characters. Apart from the schemas of projects: `svc hook` reads the
 * names of branches, and has no time to load those.
 */
export const branchPatternMax = 200;
