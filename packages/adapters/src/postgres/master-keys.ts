export const adoptKeys = async (..._: readonly unknown[]) => {}
export const lookUpIn = async (..._: readonly unknown[]): Promise<any> => null
