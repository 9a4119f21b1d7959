/** The section index, which the build puts here; empty where svc runs from its source. */
export const indexText: string = "";
