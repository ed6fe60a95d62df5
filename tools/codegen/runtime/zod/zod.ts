/** The zod that the validators beside this file are made with. It alone differs between the flavours. */
export * from 'zod'
