/** The door of the site: other rooms, `db` and `cli` import these files, and no others. */
export * from "./app.ts";
export * from "./site-texts.ts";
export * from "./warm-up.ts";
