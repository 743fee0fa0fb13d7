export default async app => {
  app.get('/own', async () => ({ own: app.clock() }))
}
