// Several clusters: AKS in two resource groups, AKS on Azure Arc, and one that is reached by its URL.
using './main.bicep'

param deployment = 'company'
param instanceMemoryMB = 2048
param clusters = [
  {
    name: 'east'
    access: 'aks'
    resourceGroup: 'gpu-east'
    clusterName: 'aks-east'
    location: 'eastus'
    settings: { maxInstances: 200 }
  }
  {
    name: 'west'
    access: 'aks'
    subscription: '00000000-0000-0000-0000-000000000000'
    resourceGroup: 'gpu-west'
    clusterName: 'aks-west'
    location: 'westus3'
  }
  {
    name: 'plant'
    access: 'arc'
    resourceGroup: 'edge'
    customLocation: '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/edge/providers/Microsoft.ExtendedLocation/customLocations/plant'
  }
  {
    name: 'lab'
    access: 'url'
    server: 'https://lab.example:6443'
    settings: { providers: ['aks'], azure: { clusterName: 'aks-east', resourceGroup: 'gpu-east' } }
  }
]
param secretSettings = {
  POOLWRIGHT_HTTP_TOKEN: 'http-token'
  POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'east-intake'
  POOLWRIGHT_CLUSTERS_WEST_INTAKE_TOKENS: 'west-intake'
  POOLWRIGHT_CLUSTERS_PLANT_INTAKE_TOKENS: 'plant-intake'
  POOLWRIGHT_CLUSTERS_LAB_TOKEN: 'lab-token'
  POOLWRIGHT_CLUSTERS_LAB_CERTIFICATE_AUTHORITY: 'lab-ca'
}
