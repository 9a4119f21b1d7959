/** The section index as JSON, which the build puts here; empty where svc runs from its source. */
export const indexText: string = "";
