/** The packed section index, which the build puts here; empty where svc runs from its source. */
export const packedIndex: string = "";
