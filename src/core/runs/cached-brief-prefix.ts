/**
 * A client that caches briefs fetches them under a run id with this prefix, and reports the run that it then
 * gives one to. No run has such an id, so the lists of who used a decision leave them out.
 */
export const cachedBriefPrefix = "brief-cache:";
