import { description, version } from "../../package.json";

declare const SVC_COMMIT: string | undefined;

export { description, version };

/** The commit the executable was built from; the build defines it, a run from source has none. */
export const commit: string = typeof SVC_COMMIT === "string" ? SVC_COMMIT : "dev";
