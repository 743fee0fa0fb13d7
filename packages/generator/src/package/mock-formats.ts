// In a generated folder, the text of that package stands here.
export * from '@contract-first/formats'
