// One AKS cluster in the resource group of the deployment.
using './main.bicep'

param deployment = 'office'
param clusters = [
  {
    name: 'east'
    access: 'aks'
  }
]
param secretSettings = {
  POOLWRIGHT_HTTP_TOKEN: 'http-token'
  POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'east-intake'
}
